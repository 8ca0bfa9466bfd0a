module quadrille.example/quadrille

go 1.19

require google.golang.org/protobuf v1.34.1
