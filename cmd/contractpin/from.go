package main

func (c *Command) planFrom(initFlags, []string) (*plan, error) {
	return nil, problemf("", "--from is being written")
}
