import type { Access, Client } from './clients.ts';
import type { CallOptions, LanguageModel, StreamPart } from './types.ts';

type Whole = Awaited<ReturnType<LanguageModel['doGenerate']>>;

export interface Asking {
  readonly client: Client;
  readonly access: Access;
  readonly model: string;
  /** Whether a stream is requested. */
  readonly streams: boolean;
}

/** The parts of an answer, streamed or as one JSON object from a provider that cannot stream. */
export async function* answerParts(
  { client, access, model: name, streams }: Asking,
  options: CallOptions,
): AsyncGenerator<StreamPart> {
  const open = (fetch: Access['fetch']): Promise<LanguageModel> => client.chat({ ...access, fetch }, name);
  if (!streams) {
    yield* partsOf(await (await open(access.fetch)).doGenerate(options));
    return;
  }
  let whole: Response | undefined;
  const watching: Access['fetch'] = async (input, init) => {
    const answer = await looked(await access.fetch(input, init));
    if (!answer.isWhole) return answer.response;
    whole = answer.response;
    throw new Error('The answer is not a stream.');
  };
  const model = await open(watching);
  let stream: ReadableStream<StreamPart>;
  try {
    ({ stream } = await model.doStream({ ...options, includeRawChunks: true }));
  } catch (error) {
    const answer = whole;
    if (answer === undefined) throw error;
    yield* partsOf(await (await open(() => Promise.resolve(answer))).doGenerate(options));
    return;
  }
  yield* stream;
}

function* partsOf({ content, finishReason, usage, response }: Whole): Generator<StreamPart> {
  yield { type: 'raw', rawValue: response?.body };
  for (const [at, part] of content.entries()) {
    const id = String(at);
    const signed = 'providerMetadata' in part && { providerMetadata: part.providerMetadata };
    if (part.type === 'text') yield { type: 'text-delta', id, delta: part.text };
    else if (part.type === 'reasoning') yield { type: 'reasoning-delta', id, delta: part.text, ...signed };
    else if (part.type === 'tool-call') yield part;
  }
  yield { type: 'finish', finishReason, usage };
}

/** Whether an answer is one JSON object. Its content type is unreliable: some servers declare events as JSON. */
async function looked(response: Response): Promise<{ response: Response; isWhole: boolean }> {
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || response.body === null || type.startsWith('text/event-stream'))
    return { response, isWhole: false };
  const reader = response.body.getReader();
  const first: Uint8Array<ArrayBuffer>[] = [];
  let start = '';
  while (start === '') {
    const { value, done } = await reader.read();
    if (done) break;
    first.push(value);
    start = Buffer.from(value).toString('latin1').trimStart();
  }
  const { status, headers } = response;
  return {
    response: new Response(ReadableStream.from(joined(first, reader)), { status, headers }),
    isWhole: start.startsWith('{'),
  };
}

async function* joined(
  first: readonly Uint8Array<ArrayBuffer>[],
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    yield* first;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
