import { readFileSync } from 'node:fs';
import type { Asker } from '#engine';
import type { Config } from '../../../base/config/config.ts';
import { createOutbound, optionsOf } from '../../../base/outbound/outbound.ts';
import { readProxy } from '../../../base/outbound/proxy.ts';
import type { Finding, Machine } from './finding.ts';

const about = 'outside';
const CONNECT_MS = 5000;
/** The caller where no flow is involved. */
const SERVER: Asker = { flow: '', version: '', run: '', node: '', operator: '' };

/** How requests leave this server: the proxy, the names, and the authorities that certificates are checked by. */
export async function checkOutside(config: Config, { env }: Pick<Machine, 'env'>): Promise<Finding[]> {
  return [...(await checkWay(config)), ...ignoredProxies(config, env), ...extraAuthorities(env)];
}

async function checkWay(config: Config): Promise<Finding[]> {
  const { proxy: address, proxyCredentials, proxyDns, noProxy } = config;
  if (address === undefined) return [];
  const { protocol, host, port, shown } = readProxy(address, proxyCredentials);
  const outbound = createOutbound(optionsOf(config));
  try {
    const near = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const to = { host, port, tls: protocol === 'https' ? {} : undefined };
    const reach = { timeoutMs: CONNECT_MS, near, proxy: 'none' } as const;
    const socket = await outbound.connect(to, SERVER, new AbortController().signal, reach);
    socket.destroy();
  } catch (error) {
    const says = `The proxy ${shown} cannot be used, so nothing goes out: ${(error as Error).message}`;
    return [{ about, state: 'error', says, todo: 'Correct WEFT_PROXY, or start the proxy.' }];
  } finally {
    await outbound.close();
  }
  const past = noProxy.length === 0 ? '' : `, except to ${noProxy.join(', ')}`;
  const way: Finding = {
    about,
    state: 'ok',
    says: `Everything goes out through ${shown}${past}; the proxy listens.`,
  };
  if (proxyDns === 'local') return [way];
  return [
    way,
    {
      about,
      state: 'warning',
      says: 'WEFT_PROXY_DNS=proxy: names are judged by their spelling alone, so a public name that leads to an inner address is not recognised.',
      todo: 'Set WEFT_PROXY_DNS=local if names can be looked up here, or let the proxy refuse inner addresses (SECURITY.md).',
    },
  ];
}

/** Proxies that other programs use, and this server does not. */
function ignoredProxies({ proxy, flowsFrom }: Config, env: Machine['env']): Finding[] {
  const names = Object.keys(env).filter((name) => /^(?:https?|all)_proxy$/i.test(name) && env[name] !== '');
  if (names.length === 0) return [];
  const git = proxy === undefined && flowsFrom?.startsWith('git+http') ? ', except by git' : '';
  const says = `${names.join(', ')} of the environment ${names.length === 1 ? 'is' : 'are'} ignored${git}.`;
  if (proxy !== undefined) return [{ about, state: 'note', says }];
  return [
    { about, state: 'note', says, todo: 'Set WEFT_PROXY if requests have to go out through that proxy.' },
  ];
}

/** Node goes on without a file that it cannot read. */
function extraAuthorities(env: Machine['env']): Finding[] {
  const file = env['NODE_EXTRA_CA_CERTS'] ?? '';
  if (file === '') return [];
  const name = `NODE_EXTRA_CA_CERTS=${file}`;
  try {
    const many = readFileSync(file, 'utf8').match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/g)?.length ?? 0;
    if (many > 0) return [{ about, state: 'ok', says: `${name}: ${many} more authorities are trusted.` }];
    const todo = 'Name a file with certificates in PEM (-----BEGIN CERTIFICATE-----).';
    return [{ about, state: 'error', says: `${name} contains no certificate.`, todo }];
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const todo = 'Correct the path, or give this user the right to read it; Node goes on without it.';
    return [{ about, state: 'error', says: `${name} cannot be read (${code}).`, todo }];
  }
}
