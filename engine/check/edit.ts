/** The entry point `#engine/edit`: changes of flows, for the editor and the command line. A server that serves flows loads none of it. */
export { applyFix } from '../flow/apply-fix.ts';
export { diffFlows, sameJson } from '../flow/diff.ts';
export {
  type FindTexts,
  type FlowText,
  type NewText,
  replaced,
  textFinder,
  textsOf,
  withTexts,
} from '../flow/find-text.ts';
export { renameNode, renameNodes } from '../flow/rename-node.ts';
export { type NamedPort, renamePort } from '../flow/rename-port.ts';
export { dissolve } from '../reshape/dissolve.ts';
export { type ExtractTo, extractFlow } from '../reshape/extract.ts';
export type { Reshaped } from '../reshape/graphs.ts';
export { inlineFlow } from '../reshape/inline.ts';
export { moveNode } from '../reshape/move.ts';
export { type WrapIn, wrapNodes } from '../reshape/wrap.ts';
