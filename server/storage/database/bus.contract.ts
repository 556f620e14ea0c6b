import { expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import type { Bus, Topic } from './bus.ts';

/** Behaviour of every `Bus`. `make` returns a bus that reports what listeners throw. */
export function busContract(make: (failed: (error: unknown) => void) => Promise<Bus>): void {
  const unexpected = (error: unknown): void => {
    throw error;
  };

  test('calls the listeners of a topic, and no others, in order before publish returns', async () => {
    const bus = await make(unexpected);
    const heard: string[] = [];
    bus.subscribe('wait-answered', (name) => heard.push(`first ${name}`));
    bus.subscribe('wait-answered', (name) => heard.push(`second ${name}`));
    bus.subscribe('flow-files', (name) => heard.push(`files ${name}`));
    bus.publish('wait-answered', 'a');
    bus.publish('flow-files');
    expect(heard).toEqual(['first a', 'second a', 'files ']);
    await bus.close();
  });

  test('stops calling a removed listener, and keeps the other subscription of the same function', async () => {
    const bus = await make(unexpected);
    const heard: string[] = [];
    const listener = (name: string): void => void heard.push(name);
    const stop = bus.subscribe('flows-served', listener);
    bus.subscribe('flows-served', listener);
    stop();
    bus.publish('flows-served', 'once');
    expect(heard).toEqual(['once']);
    await bus.close();
  });

  test('reports what a listener throws, and calls the others', async () => {
    const failures: unknown[] = [];
    const bus = await make((error) => failures.push(error));
    const heard: string[] = [];
    const broken = new Error('broken');
    bus.subscribe('wait-untold', () => {
      throw broken;
    });
    bus.subscribe('wait-untold', () => heard.push('other'));
    bus.publish('wait-untold');
    expect({ heard, failures }).toEqual({ heard: ['other'], failures: [broken] });
    await bus.close();
  });
}

/** Further behaviour of buses that servers on one database share. `cut` breaks all their connections. */
export function sharedBusContract(make: () => Promise<Bus>, cut: () => Promise<void>): void {
  const NAMES = Array.from({ length: 200 }, (_, n) => `${n} 'ä"\n`);

  function listenTo(bus: Bus, topic: Topic): string[] {
    const heard: string[] = [];
    bus.subscribe(topic, (name) => heard.push(name));
    return heard;
  }

  test('a notice reaches each server once, in the order of its sender', async () => {
    const buses = [await make(), await make(), await make()];
    const heard = buses.map((bus) => listenTo(bus, 'wait-answered'));
    for (const name of NAMES) buses[0]?.publish('wait-answered', name);
    expect(heard[0]).toEqual(NAMES);
    await eventually(() => expect(heard).toEqual([NAMES, NAMES, NAMES]));
    await Promise.all(buses.map((bus) => bus.close()));
    expect(heard).toEqual([NAMES, NAMES, NAMES]);
  });

  test('closing sends what was published', async () => {
    const [here, there] = [await make(), await make()];
    const heard = listenTo(there, 'flow-files');
    for (const name of NAMES) here.publish('flow-files', name);
    await here.close();
    await eventually(() => expect(heard).toEqual(NAMES));
    await there.close();
  });

  test('after its connection broke, a server learns of the gap and receives notices again', async () => {
    const [here, there] = [await make(), await make()];
    const heard = listenTo(there, 'flows-served');
    let gaps = 0;
    there.onGap(() => gaps++);
    await cut();
    await eventually(() => expect(gaps).toBeGreaterThan(0));
    await eventually(() => {
      here.publish('flows-served', 'again');
      expect(heard).toContain('again');
    });
    await Promise.all([here.close(), there.close()]);
  });
}
