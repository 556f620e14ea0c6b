import { z } from 'zod';

/** A service that signs in by OAuth2, for the gallery and the form. */
export const SignInProvider = z.object({
  name: z.string(),
  title: z.string(),
  doc: z.string(),
  grants: z.array(z.enum(['code', 'device', 'client', 'jwt'])),
  scopes: z.array(z.object({ scope: z.string(), label: z.string(), group: z.string().optional() })),
  /** How to register an app there; an empty address for a provider by hand. */
  register: z.object({ url: z.string(), steps: z.string() }),
  tenant: z.object({ label: z.string(), doc: z.string(), default: z.string() }).optional(),
});
export type SignInProvider = z.infer<typeof SignInProvider>;

export const SignInProviders = z.object({
  providers: z.array(SignInProvider),
  /** The exact address to register with a provider. */
  redirect: z.string(),
  /** The server has no public address: people sign in with a browser on its machine. */
  isLocal: z.boolean(),
});
export type SignInProviders = z.infer<typeof SignInProviders>;

/** A sign-in that began. */
export const StartedSignIn = z.object({
  id: z.string(),
  by: z.enum(['browser', 'device']),
  /** To be opened in a browser. */
  address: z.string(),
  /** To be typed there (device). */
  code: z.string().optional(),
  until: z.iso.datetime(),
});
export type StartedSignIn = z.infer<typeof StartedSignIn>;

export const SignInProgress = z.object({
  state: z.enum(['waiting', 'connected', 'failed']),
  account: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type SignInProgress = z.infer<typeof SignInProgress>;
