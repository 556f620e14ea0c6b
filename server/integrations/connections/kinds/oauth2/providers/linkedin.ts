import { defineProvider } from '../provider.ts';

export default defineProvider({
  name: 'linkedin',
  title: 'LinkedIn',
  doc: 'Posts of a person or a company page on LinkedIn.',
  grants: ['code', 'client'],
  authorize: 'https://www.linkedin.com/oauth/v2/authorization',
  token: 'https://www.linkedin.com/oauth/v2/accessToken',
  hosts: ['api.linkedin.com'],
  address: 'https://api.linkedin.com',
  scopes: [
    { group: 'Posts', scope: 'w_member_social', label: 'Post, comment and react as the person' },
    { group: 'Posts', scope: 'w_organization_social', label: 'Post as a company page' },
    { group: 'Posts', scope: 'r_organization_social', label: 'Read posts of a company page' },
  ],
  always: ['openid', 'profile', 'email'],
  // It refuses PKCE for apps with a secret.
  pkce: false,
  clientAuth: 'post',
  account: { url: 'https://api.linkedin.com/v2/userinfo', read: (answer) => answer },
  register: {
    url: 'https://www.linkedin.com/developers/apps',
    steps:
      'Create an app, add the products “Sign In with LinkedIn using OpenID Connect” and “Share on LinkedIn”, and this redirect address under “Auth”. Access ends after 60 days; only approved partners get refresh tokens.',
  },
  pages: [
    'https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow',
    'https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2',
  ],
});
