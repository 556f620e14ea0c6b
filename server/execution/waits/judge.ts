import { decisionsOf, type WaitAsk } from '#shared/wait.ts';
import { WeftError } from '#engine';
import { ServiceError } from '../../base/errors/errors.ts';
import { validatorFor } from '../../base/requests/ajv.ts';
import { createRequestModel } from '../../base/requests/request-model.ts';
import type { Decided } from './wait-store.ts';

/** Throws `bad_params` for an unusable schema, which nothing could ever match. */
export function checkAsk({ schema }: WaitAsk): void {
  if (!schema) return;
  try {
    validatorFor(schema);
  } catch (error) {
    const { message } = error as Error;
    throw new WeftError('bad_params', `The schema cannot be used: ${message}.`, {
      field: 'params.schema',
    });
  }
}

/** The decision for the run, with the defaults of the form filled in. Throws `wait_answer_invalid`. */
export function fitting(ask: WaitAsk, decided: Decided): Decided {
  const choices: readonly string[] = decisionsOf[ask.kind];
  if (!choices.includes(decided.decision)) {
    const wanted = choices.map((choice) => `\`${choice}\``).join(' or ');
    throw new ServiceError('wait_answer_invalid', `This asks for ${wanted}, not \`${decided.decision}\`.`, {
      param: 'decision',
    });
  }
  if (ask.kind !== 'approval') return { ...decided, data: filledIn(ask, decided.data ?? {}) };
  const { data: _, ...approval } = decided;
  return approval;
}

function filledIn({ schema }: WaitAsk, data: unknown): unknown {
  if (!schema) return data;
  try {
    return createRequestModel(schema, []).fromJson(data, {}, JSON.stringify(data).length);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
    throw new ServiceError('wait_answer_invalid', error.message, {
      param: 'data',
      ...(error.detail && { detail: error.detail }),
    });
  }
}
