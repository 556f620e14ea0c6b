/**
 * The entry point `#engine/services`: operators of services, which are data (`shared/service-file.ts`). Apart, so that a server
 * whose flows use none does not load it.
 */
export { ServiceFile } from '#shared/service-file.ts';
export { describeService } from './services/describe.ts';
export { serviceOperators } from './services/operators.ts';
export { schemaAt } from './services/fields.ts';
