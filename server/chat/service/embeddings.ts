import type { FastifyReply } from 'fastify';
import type { EmbeddingRequest } from '#shared/embedding-request.ts';
import type { Models } from '../../integrations/models/models.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { Caller } from '../../access/security/access.ts';
import type { BuiltInFlows } from '../../execution/starts/built-in-flows.ts';
import { runError } from '../../access/answers/answer.ts';
import { answerOf } from './read-answer.ts';

type Deps = { readonly runs: RunHub; readonly models: Models } & { readonly builtIn: BuiltInFlows };

/** Answers with the vectors of texts, by a run like any other. Throws the errors of models. */
export async function answerEmbeddings(
  { runs, models, builtIn }: Deps,
  { model: name, texts, base64, dimensions }: EmbeddingRequest,
  { kind, name: caller }: Pick<Caller, 'kind' | 'name'>,
  reply: FastifyReply,
): Promise<void> {
  const { id: model } = models.find(name, 'embedding');
  const run = runs.start({
    flow: builtIn.embed(model, dimensions),
    trigger: 'chat',
    request: { method: 'POST', query: {}, params: {}, headers: {}, body: texts },
    output: texts,
    source: 'chat',
    apiKey: kind === 'key' ? caller : undefined,
  });
  reply.header('x-weft-run', run.id);
  if (reply.raw.destroyed) run.cancel('disconnect');
  else reply.raw.once('close', () => !reply.raw.writableFinished && run.cancel('disconnect'));
  const answer = await answerOf(run);
  if (answer.kind === 'error') throw runError(answer.error);
  const vectors = (answer.kind === 'value' ? answer.body : []) as readonly (readonly number[])[];
  const tokens = run.spending?.total?.tokens.input ?? 0;
  reply.send({
    object: 'list',
    data: vectors.map((vector, index) => {
      return { object: 'embedding', index, embedding: base64 ? packed(vector) : vector };
    }),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** 32-bit numbers with the low byte first, which OpenAI's own clients request. */
function packed(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}
