import { createContext } from 'react';

/** Whether the fields below can only be read. Native controls get it from a disabled fieldset; code editors from here. */
export const ReadOnly = createContext(false);
