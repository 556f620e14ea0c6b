import type { CodeCall, Services } from '#engine';
import { lazy } from '../../base/parts/lazy.ts';
import type { Config } from '../../base/config/config.ts';
import type { CodeSandbox, CodeSandboxOptions } from './code-service.ts';
import type { CodeStats } from './stats.ts';

const UNUSED: CodeStats = { calls: 0, errors: new Map(), open: 0, hosts: 0, lostHosts: 0 };

/** By the settings; undefined if code is off. `services` are those that code may use. The sandbox is loaded with the first call of a code node. */
export function createCode(
  { code, codeHost }: Pick<Config, 'code' | 'codeHost'>,
  { services, warn }: Pick<CodeSandboxOptions, 'warn'> & { readonly services: () => Services },
): CodeSandbox | undefined {
  if (code === 'off') return undefined;
  let made: CodeSandbox | undefined;
  let isClosed = false;

  async function load(): Promise<CodeSandbox> {
    const { createCodeSandbox } = await import('./code-service.ts');
    const apart = codeHost === undefined ? undefined : await import('./remote-host.ts');
    const start = apart && codeHost !== undefined ? { start: apart.remoteHosts(codeHost) } : {};
    made = createCodeSandbox({
      services: services(),
      warn,
      ...start,
      engine: code === 'on' ? 'isolated-vm' : 'quickjs',
    });
    if (isClosed) made.close();
    return made;
  }
  const loaded = lazy(load);

  return {
    run: (call) => made?.run(call) ?? loaded().then((sandbox) => sandbox.run(call)),
    stream: (call) => made?.stream(call) ?? streamLater(loaded, call),
    get pids() {
      return made?.pids ?? [];
    },
    get engines() {
      return made?.engines ?? [];
    },
    stats: () => made?.stats() ?? UNUSED,
    close() {
      isClosed = true;
      made?.close();
    },
  };
}

/** A generator of a sandbox that is being loaded. It can be ended while an item is awaited, unlike an async generator. */
function streamLater(loaded: () => Promise<CodeSandbox>, call: CodeCall): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const reading = loaded().then((sandbox) => sandbox.stream(call)[Symbol.asyncIterator]());
      // `next` reports it.
      reading.catch(() => {});
      return {
        next: async () => (await reading).next(),
        return: async () => (await (await reading).return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
