import type { SignInProvider } from '#shared/sign-in.ts';
import { providers } from './providers/all.ts';

/** The providers for the gallery, and the one by hand. */
export function describeProviders(): SignInProvider[] {
  const known = [...providers.values()].map(
    ({ name, title, doc, grants, scopes, register, tenant }): SignInProvider => ({
      name,
      title,
      doc,
      grants: [...grants],
      scopes: scopes.map((scope) => ({ ...scope })),
      register,
      ...(tenant && { tenant }),
    }),
  );
  return [...known, OTHER];
}

const OTHER: SignInProvider = {
  name: 'other',
  title: 'Other OAuth2 service',
  doc: 'Any service that signs in by OAuth2 or OpenID Connect: by its issuer, or with its addresses by hand.',
  grants: ['code', 'device', 'client', 'jwt'],
  scopes: [],
  register: {
    url: '',
    steps:
      'Register an app with the service, with this redirect address, and enter its client id and client secret.',
  },
};
