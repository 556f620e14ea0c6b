import * as oauth from 'oauth4webapi';
import { WeftError } from '#engine';

/** Words of a provider are cut off here. */
const MAX_WORDS = 300;

/** Refusals after which only a person can help, by signing in again. */
const LOST = new Set(['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token', 'token_revoked']);
/** Refusals that may be over in a moment. */
const PASSING = new Set(['temporarily_unavailable', 'server_error', 'slow_down', 'ratelimited']);

/** An error of an exchange with a provider, as a coded error. `title` is the name of the provider. */
export function providerFailure(title: string, error: unknown): unknown {
  if (error instanceof oauth.ResponseBodyError) return refusal(title, error);
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new WeftError(
      'connection_refused',
      `${title} refuses the app (status ${error.status}): check the client id and the client secret.`,
    );
  if (error instanceof oauth.OperationProcessingError) return misunderstood(title, error);
  if (!(error instanceof WeftError)) return error;
  if (error.code === 'outbound_failed' || error.code === 'outbound_timeout')
    return new WeftError('connection_failed', `${title}: ${error.message}`, { transient: error.transient });
  return error;
}

function refusal(
  title: string,
  { error, error_description: words, status }: oauth.ResponseBodyError,
): WeftError {
  const said = `${error}${words === undefined ? '' : ` (${words.slice(0, MAX_WORDS)})`}`;
  if (LOST.has(error))
    return new WeftError('oauth_reconnect', `${title} no longer accepts the sign-in: ${said}.`);
  if (PASSING.has(error) || status >= 500)
    return new WeftError('connection_failed', `${title} could not answer: ${said}.`, { transient: true });
  if (
    error === 'invalid_client' ||
    error === 'unauthorized_client' ||
    error === 'incorrect_client_credentials'
  )
    return new WeftError(
      'connection_refused',
      `${title} refuses the app: ${said}. Check the client id, the client secret and what the app is allowed to do there.`,
    );
  if (error === 'invalid_scope')
    return new WeftError('connection_refused', `${title} does not give these scopes: ${said}.`);
  return new WeftError('connection_refused', `${title} refuses: ${said}.`);
}

function misunderstood(title: string, error: oauth.OperationProcessingError): WeftError {
  const { cause } = error;
  const answer = cause instanceof Response ? cause : undefined;
  const status = answer?.status ?? 200;
  const type = answer?.headers.get('content-type') ?? 'nothing';
  const isBusy = status >= 500 || status === 429;
  if (answer !== undefined && !type.includes('json'))
    return new WeftError(
      'connection_failed',
      `${title} answers with ${type.split(';')[0]} (status ${status}) where JSON is expected: check its addresses.`,
      { transient: isBusy },
    );
  return new WeftError(
    'connection_failed',
    `${title} gives an answer that is not OAuth2: ${error.message}.`,
    {
      transient: isBusy,
    },
  );
}
