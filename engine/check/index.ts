/** The entry point `#engine/check`: reads and checks flows without running them. The editor uses it too. */
export {
  compileTemplate,
  type Env,
  type ExprProblem,
  type ExprTools,
  functionDocs,
  hasTemplate,
  linearRegexOf,
  parseTemplate,
  readsOf,
  toText,
} from '../expr/index.ts';
export { WeftError } from '../base/errors.ts';
export {
  allNodes,
  BODY_START,
  catalogOfBody,
  hasBodies,
  outermostNode,
  type Placed,
  placedNodes,
} from '../flow/bodies.ts';
export { formatFlow, formatLayout, inCanonicalOrder } from '../flow/canonical.ts';
export { whyNotEach } from '../flow/by-param.ts';
export { check, findingsOf, problemsAt } from './check.ts';
export type { Finding, FlowSignature, World } from '../flow/context.ts';
export { flowCalls } from '../flow/flow-calls.ts';
export { formatPath, type Path, parsePath } from '../flow/field-path.ts';
export { flowGraph, incoming, outgoing, reach, runScope, topologicalOrder } from '../flow/graph.ts';
export {
  usableKinds,
  usedConnections,
  type UsedStatement,
  usedStatements,
} from '../flow/used-connections.ts';
export { settingAt, settingMessage } from '../flow/issue-sentence.ts';
export { decodeUtf8, MAX_FLOW_BYTES, type Parsed, parse, RESERVED_IDS } from '../flow/parse.ts';
export {
  ERROR_PORT,
  type FlowKind,
  itemPort,
  operatorInfo,
  outputKinds,
  type Ports,
  portsOf,
} from '../flow/ports.ts';
export { checkRequestSchema, REQUEST_SCHEMA_LIMITS, type SchemaFault } from '../flow/request-dialect.ts';
export { compiledSchema } from '../flow/schemas.ts';
export type { Locate, Position } from '../flow/source-map.ts';
export { flowSchemas } from '../types/flow-schemas.ts';
export { type KnownTypes, knownTypes, schemaWords } from '../types/known-types.ts';
export { normalisePath, pathFault, routeKey } from '../flow/trigger-path.ts';
