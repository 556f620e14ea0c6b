import { WeftError } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import { type Validator, validatorFor } from '../../base/requests/ajv.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Passes on an answer that should be JSON by a schema, and checks the whole of it before its end, because some
 * providers take the schema only as a hint. Throws `bad_params` for an invalid schema, before anything is sent, and
 * `model_bad_answer`; not for an answer that was cut off or that calls tools.
 */
export async function* keptToSchema(
  items: AsyncIterable<ChatItem>,
  schema: Schema,
): AsyncGenerator<ChatItem> {
  const validator = usable(schema);
  let text = '';
  for await (const item of items) {
    if (item.type === 'text') text += item.text;
    if (item.type === 'finish' && item.reason === 'stop') assertKept(text, validator);
    yield item;
  }
}

function assertKept(text: string, validator: Validator): void {
  const value = parsed(text);
  if (validator.accepts(value)) return;
  const [error] = validator.errors(value, false);
  const where = error?.instancePath === '' ? 'the value' : error?.instancePath;
  throw badAnswer(`it does not fit the schema: ${where} ${error?.message ?? 'is refused'}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badAnswer('it is not JSON');
  }
}

function usable(schema: Schema): Validator {
  try {
    return validatorFor(schema);
  } catch (error) {
    throw new WeftError(
      'bad_params',
      `The schema for the answer cannot be used: ${(error as Error).message}`,
      {
        field: 'params.schema',
      },
    );
  }
}

/** `unfit` tells a whole answer that is no use from one that broke off. */
function badAnswer(why: string): WeftError {
  return new WeftError('model_bad_answer', `The answer of the model cannot be used: ${why}.`, {
    data: { unfit: true },
  });
}
