"""Options that the commands of the engine share; nothing here imports Pulumi."""

from typing import Annotated

import typer

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
AcceptUnknown = Annotated[
    bool, typer.Option("--accept-unknown", help="Go on where nobody can tell whether it stays under the ceiling.")
]
SecretsProvider = Annotated[
    str,
    typer.Option(
        "--secrets-provider",
        metavar="KEY",
        help="What encrypts the secrets of a new stack: passphrase, or awskms://, gcpkms://, azurekeyvault://, "
        "hashivault:// and the key. Default: ATOLL_SECRETS_PROVIDER, else a passphrase.",
        show_default=False,
    ),
]
