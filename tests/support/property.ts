export * as fc from './fast-check.ts';
export { propertyRuns } from './fast-check.ts';
