import { defineProvider, fieldIn } from '../provider.ts';

export default defineProvider({
  name: 'salesforce',
  title: 'Salesforce',
  doc: 'Accounts, contacts, leads, opportunities and all other objects of a Salesforce organization.',
  grants: ['code', 'client'],
  authorize: 'https://{tenant}/services/oauth2/authorize',
  token: 'https://{tenant}/services/oauth2/token',
  revoke: 'https://{tenant}/services/oauth2/revoke',
  hosts: ['*.salesforce.com', '*.force.com'],
  address: 'https://login.salesforce.com',
  scopes: [
    { scope: 'api', label: 'Read and change data by the API' },
    { scope: 'full', label: 'Everything that the person may do' },
    { scope: 'chatter_api', label: 'Read and write Chatter' },
  ],
  always: ['refresh_token', 'id'],
  pkce: true,
  clientAuth: 'post',
  // Its answers do not say how long a token lives: two hours by default, until the session policy ends it.
  lifetime: 3600,
  addressIn: (answer) => fieldIn(answer, 'instance_url'),
  account: {
    url: 'https://{tenant}/services/oauth2/userinfo',
    read: (answer) => answer['preferred_username'] ?? answer['email'],
  },
  tenant: {
    label: 'Sign-in host',
    doc: 'login.salesforce.com, test.salesforce.com for a sandbox, or your own domain (name.my.salesforce.com), which client credentials need.',
    default: 'login.salesforce.com',
  },
  register: {
    url: 'https://login.salesforce.com/lightning/setup/NavigationMenus/home',
    steps:
      'In Setup, create an external client app (or a connected app) with OAuth, this callback address and the scopes, and copy consumer key and secret. Paths such as /services/data/v62.0/query are below the address of your organization, which Salesforce names when somebody signs in.',
  },
  pages: [
    'https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_web_server_flow.htm',
    'https://developer.salesforce.com/docs/atlas.en-us.256.0.chatterapi.meta/chatterapi/intro_oauth_web_server_flow.htm',
  ],
});
