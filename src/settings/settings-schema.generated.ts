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
        },
        "formats": {
          "type": "array",
          "items": {
            "$ref": "#/definitions/plan_format"
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
    "context": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "perform": {
          "enum": [
            "auto",
            "ask"
          ]
        },
        "warn": {
          "type": "array",
          "maxItems": 10,
          "items": {
            "type": "integer",
            "minimum": 1,
            "maximum": 100
          }
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
      "additionalProperties": false,
      "properties": {
        "always_load": {
          "$ref": "#/definitions/artifacts"
        },
        "conditional_load": {
          "$ref": "#/definitions/artifacts"
        },
        "phase_specific": {
          "$ref": "#/definitions/artifacts"
        }
      }
    }
  },
  "definitions": {
    "project_path": {
      "type": "string",
      "pattern": "^(?![/\\\\~]|[A-Za-z]:)(?!(.*[/\\\\])?\\.\\.([/\\\\]|$))(?!.*\\*\\*)[^\\u0000-\\u001f]+$"
    },
    "plan_format": {
      "enum": [
        "spec-kit",
        "openspec",
        "planning-with-files",
        "gsd",
        "superpowers",
        "kiro"
      ]
    },
    "filled": {
      "type": "string",
      "pattern": "\\S"
    },
    "id": {
      "type": "string",
      "pattern": "^[\\p{L}\\p{N}_-]{1,100}$"
    },
    "artifacts": {
      "type": "array",
      "maxItems": 1000,
      "items": {
        "$ref": "#/definitions/artifact"
      }
    },
    "artifact": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "id",
        "type"
      ],
      "properties": {
        "id": {
          "$ref": "#/definitions/id"
        },
        "type": {
          "enum": [
            "json",
            "markdown",
            "directory",
            "work_plugin",
            "skill",
            "git_info"
          ]
        },
        "path": {
          "$ref": "#/definitions/filled"
        },
        "path_from_state": {
          "$ref": "#/definitions/filled"
        },
        "command": {
          "$ref": "#/definitions/filled"
        },
        "description": {
          "$ref": "#/definitions/filled"
        },
        "required": {
          "type": "boolean"
        },
        "condition": {
          "$ref": "#/definitions/filled"
        },
        "reload_triggers": {
          "type": "array",
          "maxItems": 100,
          "items": {
            "type": "string",
            "pattern": "^(session_start|compaction|manual|phase_start:.+|phase_transition(:.+->.+)?)$"
          }
        },
        "load_strategy": {
          "enum": [
            "all",
            "latest_only",
            "summary"
          ]
        }
      }
    }
  }
};
