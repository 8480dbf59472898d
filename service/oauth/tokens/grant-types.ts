/** Grant types, by the names that clients and the metadata have for them. */
export const AUTHORIZATION_CODE = 'authorization_code';
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
export const REFRESH_TOKEN = 'refresh_token';
