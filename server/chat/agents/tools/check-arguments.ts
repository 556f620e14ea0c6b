import { WeftError } from '#engine';
import type { JsonSchema } from '#shared/json.ts';
import { validatorFor } from '../../../base/requests/ajv.ts';

/** Throws `bad_input` with all problems, so that the model can correct its call. */
export function checkArguments(schema: JsonSchema, args: unknown): void {
  const validator = validatorFor(schema);
  if (validator.accepts(args)) return;
  const problems = validator
    .errors(args, true)
    .map(({ instancePath, message = 'is not accepted' }) => `${instancePath || 'the arguments'} ${message}`);
  throw new WeftError(
    'bad_input',
    `The arguments do not fit the schema of the tool: ${problems.join('; ')}.`,
  );
}
