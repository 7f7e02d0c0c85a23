module github.com/contractpin/verify/e2e

go 1.26.0

ignore ./node_modules

replace github.com/contractpin/verify => ../
