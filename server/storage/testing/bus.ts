import { type Bus, createLocalBus } from '../bus.ts';

/** A bus whose listeners may not throw. */
export function testBus(): Bus {
  return createLocalBus((error) => {
    throw error;
  });
}
