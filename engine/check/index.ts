/** The door `#engine/check`: what reads and judges flows without running them; the editor uses it too. */
export { formatFlow, formatLayout } from './canonical.ts';
export { flowGraph, incoming, outgoing, reach, runScope, topologicalOrder } from './graph.ts';
export { decodeUtf8, MAX_FLOW_BYTES, type Parsed, parse } from './parse.ts';
export { type FlowKind, operatorInfo, outputKinds, portsOf } from './ports.ts';
export type { Locate, Position } from './source-map.ts';
