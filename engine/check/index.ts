export { flowGraph, incoming, outgoing, reach, runScope, topologicalOrder } from './graph.ts';
export { outputKinds, portsOf } from './ports.ts';
