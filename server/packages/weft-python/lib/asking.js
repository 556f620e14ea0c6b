import { limits } from './limits.js';

/**
 * What code asks of the server through `ctx`. Nothing that comes out of its process is trusted: names and arguments are checked
 * here, and who asks is the call itself.
 *
 * @param {import('./types.js').Kit} kit
 * @param {import('./types.js').PythonCall} call
 * @returns {(name: string, args: unknown) => Promise<unknown>}
 */
export function answers(kit, call) {
  const { WeftError, z } = kit;
  const forms = formsOf(z);
  const questions = { ...outside(kit, call), ...stateOf(call) };
  return async (name, args) => {
    if (!Object.hasOwn(forms, name))
      throw new WeftError('code_failed', 'The code asked for something that does not exist.');
    const known = /** @type {keyof typeof forms} */ (name);
    const parsed = forms[known].safeParse(args);
    if (parsed.success) return await questions[known](/** @type {any} */ (parsed.data));
    const [issue] = parsed.error.issues;
    throw new WeftError('code_failed', `ctx, ${name}: ${issue?.path.join('.')} ${issue?.message}`);
  };
}

/** What each question has to say. @param {import('./types.js').Kit['z']} z */
function formsOf(z) {
  const bytes = (/** @type {number} */ most) => z.base64().max(Math.ceil(most / 3) * 4);
  const ttlMs = z
    .number()
    .min(1)
    .max(10 * 365 * 86_400_000)
    .nullish();
  const place = { key: z.string().min(1).max(500), scope: z.enum(['flow', 'shared']) };
  return {
    sleep: z.object({ ms: z.number().min(0).max(86_400_000) }),
    secret: z.object({ name: z.string() }),
    fetch: z.object({
      url: z.string(),
      method: z.string(),
      headers: z.record(z.string(), z.string()),
      base64: bytes(limits.input).nullish(),
      timeoutMs: z.number().min(1).max(900_000).nullish(),
      redirects: z.int().min(0).max(20),
    }),
    readFile: z.object({
      file: z.looseObject({ $file: z.string() }),
      start: z.int().min(0).nullish(),
      end: z.int().min(0).nullish(),
    }),
    newFile: z.object({
      name: z.string().nullish(),
      type: z.string().nullish(),
      base64: bytes(limits.fileBytes),
    }),
    state: z.discriminatedUnion('does', [
      z.object({ does: z.literal('get'), ...place }),
      z.object({ does: z.literal('set'), ...place, value: z.unknown(), ttlMs }),
      z.object({ does: z.literal('add'), ...place, by: z.number(), ttlMs }),
      z.object({ does: z.literal('remove'), ...place }),
    ]),
  };
}

/**
 * @typedef {ReturnType<typeof formsOf>} Forms
 * @typedef {{ [N in keyof Forms]: import('zod').output<Forms[N]> }} Asked
 */

/** @param {import('./types.js').Kit} kit @param {import('./types.js').PythonCall} call */
function outside({ WeftError }, call) {
  const { asker } = call;
  return {
    /** @param {Asked['sleep']} asked */
    async sleep({ ms }) {
      await call.sleep(ms);
      return null;
    },
    /** @param {Asked['secret']} asked */
    secret: async ({ name }) => call.service('secrets').reveal(name, asker),
    /** @param {Asked['fetch']} asked */
    async fetch({ url, method, headers, base64, timeoutMs, redirects }) {
      const body = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
      const most = { timeoutMs: timeoutMs ?? 30_000, maxBytes: limits.fetchBytes };
      const request = { url, method, headers, body, redirects, ...most };
      const answer = await call.service('http').send(request, asker, call.signal);
      const content = await whole(answer.body);
      return { status: answer.status, url: answer.url, headers: answer.headers, base64: content };
    },
    /** @param {Asked['readFile']} asked */
    async readFile({ file, start, end }) {
      const files = call.service('files');
      const found = await files.find(file, asker);
      // Opening it says what is wrong.
      if (found === undefined) await files.open(file, asker);
      const size = found?.bytes ?? 0;
      const [first, last] = [start ?? 0, Math.min(end ?? size, size)];
      if (last - first > limits.fileBytes)
        throw new WeftError(
          'value_too_large',
          `Code reads at most ${limits.fileBytes} bytes of a file at once, not ${last - first}; read it in parts: \`ctx.file(file).read(start, end)\`.`,
        );
      if (last <= first) return '';
      const range = last - first < size ? { first, last: last - 1 } : undefined;
      return await whole((await files.open(file, asker, range)).content);
    },
    /** @param {Asked['newFile']} asked */
    async newFile({ name, type, base64 }) {
      const file = {
        name: name ?? undefined,
        type: type ?? undefined,
        content: Buffer.from(base64, 'base64'),
      };
      return await call.service('files').create(file, asker, call.signal);
    },
  };
}

/** @param {import('./types.js').PythonCall} call */
function stateOf(call) {
  const { asker } = call;
  /** How often the call has added to each number: a new attempt does not add again what the one before has added. */
  const added = new Map();
  return {
    /** @param {Asked['state']} asked */
    async state(asked) {
      const state = call.service('state');
      const owner = asked.scope === 'shared' ? '*' : asker.flow;
      // Runs of drafts never see or change what live runs keep.
      const scope = asker.isDraft ? `draft:${owner}` : owner;
      const { does, key } = asked;
      const ttl = 'ttlMs' in asked && typeof asked.ttlMs === 'number' ? { ttlMs: asked.ttlMs } : {};
      if (does === 'get') return (await state.get(scope, key, asker)) ?? null;
      if (does === 'add') {
        const nth = (added.get(`${scope} ${key}`) ?? 0) + 1;
        added.set(`${scope} ${key}`, nth);
        return await state.add(scope, key, asked.by, { once: `${call.idempotencyKey}:${nth}`, ...ttl });
      }
      await state.set(scope, key, does === 'set' ? asked.value : undefined, { by: asker, ...ttl });
      return null;
    },
  };
}

/** In base64. @param {AsyncIterable<Uint8Array>} content */
async function whole(content) {
  const pieces = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString('base64');
}
