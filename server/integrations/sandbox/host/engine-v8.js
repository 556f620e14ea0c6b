import { checkedMessages, Stopped } from './engine.js';

/**
 * Isolates of isolated-vm: a separate heap each, compiled code, and a time limit that V8 itself enforces.
 *
 * VE1. Only lists of texts and numbers cross, as copies: a bare text would leave memory behind that the garbage
 *      collector here does not see.
 *
 * @typedef {typeof import('isolated-vm')} IsolatedVm
 */

/**
 * Loads the binary by its own path, because the package looks for it in places that this process may not read.
 *
 * @param {string} binary
 * @param {import('./guest-source.js').GuestSource} guest
 * @param {{ maxText: number, onBroken: (message: string) => void }} options
 * @returns {import('./engine.js').Engine}
 */
export function v8Engine(binary, guest, { maxText, onBroken }) {
  const module = { exports: /** @type {{ ivm: IsolatedVm }} */ ({}) };
  process.dlopen(module, binary);
  const { Isolate } = module.exports.ivm;
  return {
    name: 'isolated-vm',
    realm(memoryMb) {
      const isolate = new Isolate({ memoryLimit: memoryMb, onCatastrophicError: onBroken });
      return {
        survivesStop: true,
        cpuMs: () => (isolate.isDisposed ? 0 : Number(isolate.cpuTime) / 1e6),
        threadMs,
        open: (library) => openRoom(isolate, library ? guest.library : guest.plain, maxText),
        dispose() {
          if (!isolate.isDisposed) isolate.dispose();
        },
      };
    },
  };
}

/**
 * What isolated-vm calls the processor time of an isolate is the time that it has a thread, also while that thread
 * gets no processor. This counts real processor time, but that of all isolates that run beside it, too.
 *
 * @type {(isApart: boolean) => number}
 */
function threadMs(isApart) {
  const here = process.threadCpuUsage();
  const hereMs = (here.user + here.system) / 1000;
  if (!isApart) return hereMs;
  const all = process.cpuUsage();
  return (all.user + all.system) / 1000 - hereMs;
}

/** @type {(isolate: import('isolated-vm').Isolate, guest: string, maxText: number) => import('./engine.js').Room} */
function openRoom(isolate, guest, maxText) {
  const context = isolate.createContextSync();
  const enter = context.evalClosureSync(`return ${guest}`, [], { result: { reference: true } });
  const options = (/** @type {number} */ ms) => {
    const [args, result] = [/** @type {const} */ ({ copy: true }), /** @type {const} */ ({ copy: true })];
    return { arguments: args, result, timeout: Math.max(1, Math.ceil(ms)) };
  };
  return {
    enter(messages, ms) {
      try {
        return checkedMessages(enter.applySync(undefined, [messages], options(ms)), maxText);
      } catch (error) {
        throw stoppedBy(isolate, error);
      }
    },
    async enterApart(messages, ms) {
      try {
        return checkedMessages(await enter.apply(undefined, [messages], options(ms)), maxText);
      } catch (error) {
        throw stoppedBy(isolate, error);
      }
    },
  };
}

/** @type {(isolate: import('isolated-vm').Isolate, error: unknown) => Stopped} */
function stoppedBy(isolate, error) {
  if (error instanceof Stopped) return error;
  const message = error instanceof Error ? error.message : '';
  if (message.includes('timed out')) return new Stopped('time');
  if (message.includes('memory limit')) return new Stopped('memory');
  return new Stopped(isolate.isDisposed ? 'gone' : 'time');
}
