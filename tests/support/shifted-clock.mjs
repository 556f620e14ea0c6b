/*
 * Preloaded into a server (`node --import`): its clock is ahead or behind by TEST_CLOCK_SHIFT milliseconds, in all of
 * its threads. So data of long ago are opened as if they were of today.
 */
const shift = Number(process.env.TEST_CLOCK_SHIFT);
const { now } = Date;

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + shift] : args, newTarget),
  apply: (target) => new target(now() + shift).toString(),
  get: (target, name) => (name === 'now' ? () => now() + shift : Reflect.get(target, name)),
});
