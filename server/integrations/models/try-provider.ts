import { type Asker, WeftError } from '#engine';
import type { ProviderTrial } from '#shared/model-provider.ts';
import type { Models } from './models.ts';

const asker: Asker = { flow: '', version: '', run: '', node: '', operator: 'provider.try' };
const MAX_MS = 30_000;

/** Sends a short request to the first model of a provider, to check its address, key and name. */
export async function tryProvider(
  models: Models,
  provider: string,
  now: () => number,
): Promise<ProviderTrial> {
  const model = models.list().find((one) => one.provider === provider);
  if (!model) throw new WeftError('model_not_found', `The provider ${provider} has no model.`);
  const started = now();
  const base = { model: model.id };
  try {
    const text = model.use === 'chat' ? await aWord(models, model.id) : await aVector(models, model.id);
    return { ...base, ok: true, ms: now() - started, text };
  } catch (error) {
    if (!(error instanceof WeftError)) throw error;
    return {
      ...base,
      ok: false,
      ms: now() - started,
      error: { code: error.code, message: fullMessage(error) },
    };
  }
}

/** An administrator also sees the network's message, with the address. */
export function fullMessage({ message, data }: WeftError): string {
  const reason = (data as { reason?: unknown } | undefined | null)?.reason;
  return typeof reason === 'string' ? `${message} ${reason}` : message;
}

async function aWord(models: Models, model: string): Promise<string> {
  const messages = [{ role: 'user', content: 'Answer with the word OK.' }] as const;
  let text = '';
  for await (const item of models.chat({ model, messages, maxTokens: 100 }, asker, timeLimit()))
    if (item.type === 'text') text += item.text;
  return text;
}

async function aVector(models: Models, model: string): Promise<string> {
  const { vectors } = await models.embed({ model, texts: ['OK'] }, asker, timeLimit());
  return `a vector of ${vectors[0]?.length ?? 0} numbers`;
}

function timeLimit(): AbortSignal {
  const controller = new AbortController();
  const message = `There was no answer after ${MAX_MS} ms.`;
  setTimeout(() => controller.abort(new WeftError('model_timeout', message)), MAX_MS).unref();
  return controller.signal;
}
