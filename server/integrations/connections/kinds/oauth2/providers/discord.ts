import { defineProvider } from '../provider.ts';

export default defineProvider({
  name: 'discord',
  title: 'Discord',
  doc: 'The profile and the servers of a Discord account. Bots use their own token in an HTTP connection.',
  grants: ['code', 'client'],
  authorize: 'https://discord.com/oauth2/authorize',
  token: 'https://discord.com/api/oauth2/token',
  revoke: 'https://discord.com/api/oauth2/token/revoke',
  hosts: ['discord.com'],
  address: 'https://discord.com/api/v10',
  scopes: [
    { group: 'Account', scope: 'email', label: 'Read the e-mail address' },
    { group: 'Account', scope: 'connections', label: 'Read linked accounts' },
    { group: 'Servers', scope: 'guilds', label: 'List the servers' },
    { group: 'Servers', scope: 'guilds.members.read', label: 'Read the own membership of servers' },
    { group: 'Servers', scope: 'guilds.join', label: 'Join servers' },
    { group: 'Servers', scope: 'webhook.incoming', label: 'Create a webhook for a channel' },
  ],
  always: ['identify'],
  pkce: true,
  clientAuth: 'basic',
  account: { url: 'https://discord.com/api/v10/users/@me', read: (answer) => answer['username'] },
  register: {
    url: 'https://discord.com/developers/applications',
    steps:
      'Create an application, add this redirect address under “OAuth2”, and copy client id and secret there.',
  },
  pages: ['https://discord.com/developers/docs/topics/oauth2'],
});
