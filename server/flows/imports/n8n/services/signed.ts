import type { Ask, Request, Service, Step, Steps, Use } from './service.ts';

/** A service whose key stands in the query: a connection fills the `{secret}` of its requests. */

/** The key of the query, also of several requests; not of those that are sent elsewhere. */
export function signed(secret: string | undefined, service: Service): Service {
  if (secret === undefined) return service;
  const { operations, several, awaited } = service;
  const put = <R extends Request | Use | Step>(made: R): R => placed(secret, made);
  const steps =
    (make: Steps): Steps =>
    (given, ask) => {
      const asking: Ask = (hint, step) => ask(hint, put(step));
      return put(make(given, asking));
    };
  return {
    ...service,
    operations: eachOf(operations, (make) => (given) => put(make(given))),
    ...(several && {
      several: eachOf(several, (made) =>
        typeof made === 'function' ? steps(made) : { ...made, steps: steps(made.steps) },
      ),
    }),
    ...(awaited && {
      awaited: eachOf(awaited, (make) => (given, address) => put(make(given, address))),
    }),
  };
}

function placed<R extends Request | Use | Step>(secret: string, made: R): R {
  if (!('url' in made) || made.open === true || made.url.includes('{secret}')) return made;
  return { ...made, url: `${made.url}${made.url.includes('?') ? '&' : '?'}${secret}={secret}` };
}

function eachOf<T>(record: Readonly<Record<string, T>>, change: (one: T) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).map(([name, one]) => [name, change(one)]));
}
