import { createContext } from 'react';

/** The kinds of things that can be made without leaving the form. */
export type NewKind =
  | 'secret'
  | 'connection'
  | 'flow'
  | 'mailbox'
  | 'space'
  | 'app'
  | 'model provider'
  | 'variable';

/** The wish to make one. */
export interface NewWish {
  readonly kind: NewKind;
  /** The name to propose. */
  readonly wanted?: string | undefined;
  /** What it is made in, such as the connection of a mailbox. */
  readonly within?: string | undefined;
  /** Gets its name. */
  use(name: string): void;
}

/** Opens the dialog that makes one. Absent where nothing can be made. */
export const NewThing = createContext<((wish: NewWish) => void) | undefined>(undefined);
