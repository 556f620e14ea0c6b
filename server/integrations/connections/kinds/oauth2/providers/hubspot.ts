import { defineProvider, fieldIn } from '../provider.ts';

export default defineProvider({
  name: 'hubspot',
  title: 'HubSpot',
  doc: 'Contacts, companies, deals, tickets and marketing of HubSpot.',
  grants: ['code'],
  authorize: 'https://app.hubspot.com/oauth/authorize',
  token: 'https://api.hubapi.com/oauth/v3/token',
  hosts: ['api.hubapi.com'],
  address: 'https://api.hubapi.com',
  scopes: [
    { group: 'Contacts', scope: 'crm.objects.contacts.read', label: 'Read contacts' },
    { group: 'Contacts', scope: 'crm.objects.contacts.write', label: 'Change contacts' },
    { group: 'Companies', scope: 'crm.objects.companies.read', label: 'Read companies' },
    { group: 'Companies', scope: 'crm.objects.companies.write', label: 'Change companies' },
    { group: 'Deals', scope: 'crm.objects.deals.read', label: 'Read deals' },
    { group: 'Deals', scope: 'crm.objects.deals.write', label: 'Change deals' },
    { group: 'Owners', scope: 'crm.objects.owners.read', label: 'Read owners' },
    { group: 'Tickets', scope: 'tickets', label: 'Read and change tickets' },
    { group: 'Marketing', scope: 'forms', label: 'Read and change forms' },
    { group: 'Files', scope: 'files', label: 'Read and upload files' },
  ],
  // Apps get a refresh token with this one, which each of them has.
  always: ['oauth'],
  pkce: false,
  clientAuth: 'post',
  accountIn: (answer) => fieldIn(answer, 'hub_domain') ?? fieldIn(answer, 'user'),
  register: {
    url: 'https://app.hubspot.com/developer',
    steps:
      'Create an app in a developer account, add this redirect address and the same scopes under “Auth”, and copy client id and secret.',
  },
  pages: [
    'https://developers.hubspot.com/docs/api-reference/auth-oauth-v3/guide',
    'https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/scopes',
  ],
});
