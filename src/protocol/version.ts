/**
 * The version word of the wire. Parent and worker are built together and must be equal in it and in their
 * build id: there is no negotiation, and a peer that differs in either is refused at its hello.
 * Raise it with every change to what `docs/protocol.md` says.
 */
export const PROTOCOL_VERSION = 1;
