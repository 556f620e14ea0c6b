import { connect } from 'node:net';

/** A server that npm cannot install. Its tests are in `tests/services/<name>.test.ts`. */
export interface Service {
  readonly name: string;
  /** The environment variable for another address. */
  readonly variable: string;
  readonly defaultUrl: string;
}

export const services: readonly Service[] = [
  service('postgres', 'postgres://postgres@127.0.0.1:5432/test'),
  service('mariadb', 'mysql://root@127.0.0.1:3306/test'),
  service('redis', 'redis://127.0.0.1:6379'),
  service('rabbitmq', 'amqp://guest:guest@127.0.0.1:5672'),
  service('nats', 'nats://127.0.0.1:4222'),
  service('mosquitto', 'mqtt://127.0.0.1:1883'),
];

function service(name: string, defaultUrl: string): Service {
  return { name, variable: `WEFT_TEST_${name.toUpperCase()}`, defaultUrl };
}

/** The address of a service, from its variable or its default. */
export function addressOf(name: string): URL {
  const found = services.find((one) => one.name === name);
  if (!found) throw new Error(`tests/runner/services.ts has no service ${name}.`);
  return new URL(process.env[found.variable] ?? found.defaultUrl);
}

/**
 * The services that are reachable. An absent one is reported and skipped, counted as neither passed nor failed; with
 * `WEFT_TEST_SERVICES=all` all are returned, so that an absent one fails its tests.
 */
export async function presentServices(): Promise<readonly string[]> {
  const names = services.map(({ name }) => name);
  const listening = await Promise.all(names.map((name) => listens(addressOf(name))));
  const absent = names.filter((_, at) => !listening[at]);
  if (process.env['WEFT_TEST_SERVICES'] === 'all') return names;
  for (const name of absent) console.log(`not run: ${name}`);
  return names.filter((_, at) => listening[at]);
}

const CONNECT_MS = 3000;

function listens({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(CONNECT_MS, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
