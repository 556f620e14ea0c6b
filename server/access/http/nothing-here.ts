import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors/errors.ts';

/** Paths of OpenAI's interface that are not offered here, below the base addresses of its clients. */
const NOT_OFFERED =
  /^\/(?:v1|api\/v2)\/(assistants|audio|batches|chat\/completions|chatkit|containers|conversations|evals|files|fine_tuning|images|moderations|organization|realtime|responses|threads|uploads|vector_stores|videos)(?:\/|$)/;

/** The reason, where it differs. */
const REASONS: Readonly<Record<string, string>> = {
  files:
    'Files are uploaded here for messages, with POST: they cannot be listed, read or deleted, and are deleted a day later unless a conversation holds them.',
  responses: 'Responses are not stored here: send the whole conversation with each request.',
  'chat/completions': 'Answers are not stored here.',
};

function reasonFor(path: string): string | undefined {
  const name = NOT_OFFERED.exec(path)?.[1];
  if (name === undefined) return undefined;
  return (
    REASONS[name] ??
    `This server does not offer \`${name}\` of OpenAI's interface; it offers chat/completions, completions, responses, embeddings, models, and uploads of files.`
  );
}

/** The answer for an address without a route: 404, or 405 with the methods that are served there. */
export function nothingHere(app: FastifyInstance, request: FastifyRequest): ServiceError {
  const path = request.raw.url?.split('?', 1)[0] ?? '/';
  const reason = reasonFor(path);
  // OPTIONS may exist for preflights of every path, so it proves nothing.
  const candidates = app.supportedMethods.filter((method) => method !== 'OPTIONS');
  const methods = candidates.filter(
    (method) => app.findRoute({ method: method as 'GET', url: path }) !== null,
  );
  // A route exists for this method and reported that it has nothing, such as a missing file.
  if (methods.length === 0 || methods.includes(request.method)) return new ServiceError('not_found', reason);
  return new ServiceError('method_not_allowed', reason, { headers: { allow: methods.join(', ') } });
}
