/** Rare fields, loaded separately. */
export { ChoicesField } from './ChoicesField.tsx';
export { CodeField } from './CodeField.tsx';
export { ConnectionField, StoreField } from './ConnectionField.tsx';
export { CronField } from './CronField.tsx';
export { FileField } from './FileField.tsx';
export { ModelField } from './ModelField.tsx';
export { RecordField } from './RecordField.tsx';
export { RequestField } from './RequestField.tsx';
export { SecretField } from './SecretField.tsx';
export { TimezoneField } from './TimezoneField.tsx';
export { UnionField } from './UnionField.tsx';
