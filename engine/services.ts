/**
 * The entry point `#engine/services`: operators of services, which are data (`shared/service-file.ts`). Apart, so that a server
 * whose flows use none does not load it.
 */
export { ServiceFile } from '#shared/service-file.ts';
export { describeService } from './services/describe.ts';
export { serviceOperators } from './services/operators.ts';
export { schemaAt } from './services/fields.ts';
export { eventsOf } from './services/webhook.ts';
export { fieldAt } from './services/fields.ts';
export { keyOf } from './services/trigger.ts';
export { choicesOf, listChoices, type ServiceChoice } from './services/choices.ts';
