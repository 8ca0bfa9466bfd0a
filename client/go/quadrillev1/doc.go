// SPDX-License-Identifier: Apache-2.0

// Package quadrillev1 has the messages of the Quadrille protocol, made by protoc from quadrille.proto.
package quadrillev1

import _ "google.golang.org/protobuf/proto"
