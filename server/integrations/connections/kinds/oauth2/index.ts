import { WeftError } from '#engine';
import { defineKind } from '../../kind.ts';
import { settings } from './settings.ts';
import { providerOf } from './signer.ts';
import { sendSigned } from './send.ts';

export default defineKind({
  use: 'http',
  name: 'oauth2',
  title: 'OAuth2',
  doc: 'A service that people sign in to: Google, Microsoft, Slack and others. Nodes get its token, which is refreshed in time and goes to the hosts of the service only.',
  settings,
  harmless: { scopes: 'any', headers: 'any', subject: 'any', timeoutMs: 'any' },
  address(given) {
    const { address, title } = providerOf(given);
    if (address !== '') return new URL(address);
    throw new WeftError('connection_refused', `Enter the address of the API that ${title} signs in to.`);
  },
  hosts: (given) => providerOf(given).hosts,
  headers: (given) => ({ ...providerOf(given).headers, ...lowerCased(given.headers) }),
  credentials: () => ({}),
  signed: sendSigned,
  async about(given, _http, signal, { name, signIns }) {
    return (await signIns()).test({ name, settings: given }, signal);
  },
});

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
