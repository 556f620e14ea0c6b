import { isLoopback } from './hosts.ts';

/** A branch of a git repository, and the folder in it, as `WEFT_FLOWS_FROM` names them. */
export interface GitAddress {
  /** As `git` takes it. */
  readonly url: string;
  /** The only protocol that git may use. */
  readonly protocol: 'https' | 'http' | 'ssh' | 'file';
  readonly branch: string;
  /** Path of the folder, without slashes at its ends; empty: the whole repository. */
  readonly folder: string;
}

/** Names that mean the same to git everywhere; `git check-ref-format` allows more. */
const BRANCH = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;

/**
 * Reads `git+https://host/flows.git#branch`, or `#branch:folder`. Undefined for everything else: without TLS only this machine is
 * reached, and credentials are a setting of their own, because this one is shown.
 */
export function readGitAddress(text: string): GitAddress | undefined {
  const [, protocol, rest = '', branch = '', folder = ''] =
    /^git\+(https|http|ssh|file):\/\/([^#\s]+)#([^:\s]+)(?::(\S*))?$/.exec(text) ?? [];
  if (protocol === undefined || !URL.canParse(`${protocol}://${rest}`)) return undefined;
  const url = new URL(`${protocol}://${rest}`);
  if (url.password !== '' || (protocol.startsWith('http') && url.username !== '')) return undefined;
  if (protocol === 'http' && !isLoopback(url.hostname)) return undefined;
  if (protocol !== 'file' && (url.hostname === '' || url.hostname.startsWith('-'))) return undefined;
  const below = folder.split('/').filter((part) => part !== '');
  if (!BRANCH.test(branch) || /\.\.|\/\/|\/$|\.lock(\/|$)|\.$|\/\./.test(branch)) return undefined;
  if (below.some((part) => part === '.' || part === '..' || part.startsWith('.git'))) return undefined;
  return { url: url.href, protocol: protocol as GitAddress['protocol'], branch, folder: below.join('/') };
}
