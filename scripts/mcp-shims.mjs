// In place of the SDK's own: that one brings a JSON schema compiler, which is a third of the bundle and serves only
// what this server never asks for.
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('schemas are not compiled here');
  }
}
