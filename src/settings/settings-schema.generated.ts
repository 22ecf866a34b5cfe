// Generated from schemas/settings.schema.json by `npm run generate`.
import type { Schema } from './schema-errors.ts';

export const schema: Schema = {
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "$schema": {
      "type": "string"
    },
    "detect": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "local_file": {
          "$ref": "#/definitions/project_path"
        },
        "plans": {
          "type": "array",
          "items": {
            "$ref": "#/definitions/project_path"
          }
        }
      }
    },
    "restore": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "startup": {
          "enum": [
            "offer",
            "full",
            "off"
          ]
        },
        "max_chars": {
          "type": "integer",
          "minimum": 2000,
          "maximum": 8000
        },
        "inline_chars": {
          "type": "integer",
          "minimum": 0,
          "maximum": 6000
        }
      }
    },
    "reading": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "enforce": {
          "enum": [
            "off",
            "remind",
            "block"
          ]
        }
      }
    },
    "todo": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "file": {
          "$ref": "#/definitions/project_path"
        }
      }
    },
    "critical_artifacts": {
      "type": "object",
      "additionalProperties": true
    }
  },
  "definitions": {
    "project_path": {
      "type": "string",
      "pattern": "^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"
    }
  }
};
