import { z } from 'zod';
import { ignoredIn } from './chat-request.ts';

/** The body of a request for vectors, in OpenAI's format. */
export const EmbeddingBody = z.object(
  {
    model: z.string().min(1).max(300).describe('`<provider>/<model>`, an embedding model.'),
    input: z
      .union(
        [z.string(), z.array(z.string()).min(1).max(2048)],
        'must be a text or a list of texts: lists of token numbers are not supported, since each model has its own tokens',
      )
      .describe('A text, or up to 2048 of them.'),
    encoding_format: z
      .enum(['float', 'base64'])
      .nullish()
      .describe('Lists of numbers (default), or 32-bit numbers in base64.'),
    dimensions: z
      .int()
      .min(1)
      .max(100_000)
      .nullish()
      .describe('Length of each vector, for models that can make shorter ones.'),
    user: z.string().nullish().describe('Who asks; not used.'),
  },
  { error: 'must be a JSON object' },
);

export interface EmbeddingRequest {
  readonly model: string;
  readonly texts: readonly string[];
  readonly base64: boolean;
  readonly dimensions: number | undefined;
  readonly ignored: readonly string[];
}

export const EmbeddingRequestBody = z.unknown().transform((given, ctx): EmbeddingRequest => {
  const parsed = EmbeddingBody.safeParse(given, { reportInput: true });
  if (parsed.success) {
    const { model, input, encoding_format: format, dimensions } = parsed.data;
    const texts = typeof input === 'string' ? [input] : input;
    const ignored = ignoredIn(given as object, EmbeddingBody.shape);
    return { model, texts, base64: format === 'base64', dimensions: dimensions ?? undefined, ignored };
  }
  for (const issue of parsed.error.issues) ctx.issues.push(issue as never);
  return z.NEVER;
});
