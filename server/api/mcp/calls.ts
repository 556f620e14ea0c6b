/**
 * Tool calls in progress. Every request is answered independently, so that a restart breaks no client; a session is
 * only the name by which a later request finds a call to cancel.
 */
export interface Calls {
  /** A signal that aborts with `cancel`; `done` forgets the call. */
  begin(session: string, id: string | number): { readonly signal: AbortSignal; done(): void };
  cancel(session: string, id: string | number): void;
}

export function createCalls(): Calls {
  const active = new Map<string, AbortController>();
  const nameOf = (session: string, id: string | number): string => `${session} ${JSON.stringify(id)}`;
  return {
    begin(session, id) {
      const controller = new AbortController();
      const name = nameOf(session, id);
      active.set(name, controller);
      return {
        signal: controller.signal,
        done() {
          if (active.get(name) === controller) active.delete(name);
        },
      };
    },
    cancel(session, id) {
      active.get(nameOf(session, id))?.abort();
    },
  };
}
