// Package wire turns Jupyter messages into signed frames and back.
//
// A Jupyter message is four JSON objects (header, parent header, metadata, content) and any
// number of binary buffers. On a socket it is a list of frames:
//
//	identity*  <IDS|MSG>  signature  header  parent  metadata  content  buffer*
//
// The signature is the HMAC-SHA256 of the four JSON frames under the key of the connection
// file. A [Session] signs and checks; [NewMessage] makes a message that answers another one;
// the typed contents ([ExecuteRequest], [Stream], [DisplayData], ...) follow the Jupyter
// messaging specification, version [Version]. The package opens no sockets: see
// trivium/kernel/transport for those.
package wire
