import { defineProvider } from '../provider.ts';

export default defineProvider({
  name: 'github',
  title: 'GitHub',
  doc: 'Repositories, issues, pull requests, actions and organizations on GitHub.',
  grants: ['code', 'device'],
  authorize: 'https://github.com/login/oauth/authorize',
  token: 'https://github.com/login/oauth/access_token',
  device: 'https://github.com/login/device/code',
  hosts: ['api.github.com', 'uploads.github.com'],
  address: 'https://api.github.com',
  scopes: [
    { group: 'Repositories', scope: 'public_repo', label: 'Read and change public repositories' },
    { group: 'Repositories', scope: 'repo', label: 'Read and change all repositories' },
    { group: 'Repositories', scope: 'workflow', label: 'Change workflows of Actions' },
    { group: 'Repositories', scope: 'admin:repo_hook', label: 'Manage webhooks of repositories' },
    { group: 'Organizations', scope: 'read:org', label: 'Read organizations and teams' },
    { group: 'Account', scope: 'read:user', label: 'Read the profile' },
    { group: 'Account', scope: 'user:email', label: 'Read e-mail addresses' },
    { group: 'Account', scope: 'notifications', label: 'Read notifications' },
    { group: 'Account', scope: 'gist', label: 'Write gists' },
    { group: 'Projects', scope: 'project', label: 'Read and change projects' },
    { group: 'Packages', scope: 'read:packages', label: 'Read packages' },
  ],
  pkce: true,
  clientAuth: 'post',
  headers: { accept: 'application/vnd.github+json' },
  account: { url: 'https://api.github.com/user', read: (answer) => answer['login'] },
  register: {
    url: 'https://github.com/settings/developers',
    steps:
      'Create an OAuth app with this address as “Authorization callback URL”, and generate a client secret. For the grant by device, tick “Enable Device Flow”.',
  },
  pages: [
    'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps',
    'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps',
  ],
});
