import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { validatorFor } from '../../../base/requests/ajv.ts';

/** Checks schemas of other servers like those of flows: their patterns run in linear time. */
export const schemaCheck: jsonSchemaValidator = {
  getValidator<T>(schema: object) {
    const validator = validatorFor(schema as Readonly<Record<string, unknown>>);
    return (input: unknown) =>
      validator.accepts(input)
        ? { valid: true, data: input as T, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: 'It does not fit its schema.' };
  },
};
