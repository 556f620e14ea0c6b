import { WeftError } from '#engine';

/** Watches one model call: how long the provider is silent, and what fails on the way to it. */
export interface Watch {
  /** Aborts with the caller's signal, and if the provider was silent for too long. */
  readonly signal: AbortSignal;
  /** The error of the exchange with the provider, as it was thrown. */
  readonly failure: unknown;
  /** Waits for the provider; only this time counts as its silence. */
  during<T>(wait: () => Promise<T>): Promise<T>;
  /** Ends the exchange, if it is still in progress. */
  end(): void;
}

export function startWatch(outer: AbortSignal, silenceMs: number, provider: string): Watch {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  else outer.addEventListener('abort', onAbort, { once: true });
  let failure: unknown;
  const silent = (): void => {
    const message = `The provider ${provider} was silent for ${silenceMs} ms; \`timeoutMs\` of the provider raises the limit.`;
    controller.abort(new WeftError('model_timeout', message));
  };
  return {
    signal: controller.signal,
    get failure() {
      return controller.signal.aborted ? controller.signal.reason : failure;
    },
    async during(wait) {
      const timer = setTimeout(silent, silenceMs);
      try {
        return await wait();
      } catch (error) {
        failure ??= error;
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    end() {
      outer.removeEventListener('abort', onAbort);
      controller.abort(new WeftError('run_cancelled', 'The answer is no longer needed.'));
    },
  };
}
