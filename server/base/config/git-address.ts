/** A branch of a git repository, and the folder in it, as `WEFT_FLOWS_FROM` names them. */
export interface GitAddress {
  /** The address in the form that `git` accepts. */
  readonly url: string;
  /** The only protocol that git may use. */
  readonly protocol: 'https' | 'http' | 'ssh' | 'file';
  readonly branch: string;
  /** Path of the folder, without slashes at its ends; empty: the whole repository. */
  readonly folder: string;
}

/** Names that mean the same to git everywhere; `git check-ref-format` allows more. */
const BRANCH = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;
const THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const STRANGE = /\.\.|\/\/|\/$|\.lock(\/|$)|\.$|\/\./;

/**
 * Reads `git+https://host/flows.git#branch`, or `#branch:folder`. Undefined for everything else: without TLS only this machine is
 * reached, and credentials are a setting of their own, because this one is stored.
 */
export function readGitAddress(text: string): GitAddress | undefined {
  const [, protocol, rest = '', branch = '', folder = ''] =
    /^git\+(https|http|ssh|file):\/\/([^#\s]+)#([^:\s]+)(?::(\S*))?$/.exec(text) ?? [];
  const url = `${protocol}://${rest}`;
  if (protocol === undefined || !isSafe(url) || !BRANCH.test(branch) || STRANGE.test(branch))
    return undefined;
  const parts = folder.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '.' || part === '..' || part.startsWith('.git'))) return undefined;
  return { url, protocol: protocol as GitAddress['protocol'], branch, folder: parts.join('/') };
}

function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol === 'file:') return true;
  if (password !== '' || hostname === '' || hostname.startsWith('-')) return false;
  return protocol === 'ssh:' || (username === '' && (protocol === 'https:' || THIS_MACHINE.test(hostname)));
}

/** Whether flows can come from there. */
export function isFlowSource(value: string): boolean {
  return value === 'database' || value === 'folders' || readGitAddress(value) !== undefined;
}
