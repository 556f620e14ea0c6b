/** The door `#engine/check`: what reads and judges flows without running them; the editor uses it too. */
export {
  compileTemplate,
  type Env,
  type ExprProblem,
  functionDocs,
  hasTemplate,
  parseTemplate,
  readsOf,
  toText,
} from '../expr/index.ts';
export { WeftError } from '../errors.ts';
export { applyFix } from './apply-fix.ts';
export { formatFlow, formatLayout } from './canonical.ts';
export { check } from './check.ts';
export type { FlowSignature, World } from './context.ts';
export { flowCalls } from './flow-calls.ts';
export { formatPath, type Path, parsePath } from './field-path.ts';
export { flowGraph, incoming, outgoing, reach, runScope, topologicalOrder } from './graph.ts';
export { decodeUtf8, issueMessage, MAX_FLOW_BYTES, type Parsed, parse } from './parse.ts';
export { ERROR_PORT, type FlowKind, operatorInfo, outputKinds, type Ports, portsOf } from './ports.ts';
export { RESERVED_IDS } from './reserved-ids.ts';
export { renameNode, renameNodes } from './rename-node.ts';
export { diffFlows } from './diff.ts';
export { type NamedPort, renamePort } from './rename-port.ts';
export { checkRequestSchema, REQUEST_SCHEMA_LIMITS, type SchemaFault } from './request-dialect.ts';
export { compiledSchema } from './schemas.ts';
export type { Locate, Position } from './source-map.ts';
export { flowSchemas } from './types/flow-schemas.ts';
export { type KnownTypes, knownTypes, schemaWords } from './types/known-types.ts';
export { normalisePath, pathFault, routeKey } from './trigger-path.ts';
