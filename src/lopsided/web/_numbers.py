"""Numbers in addresses and forms, within the bounds that every database can hold."""

from typing import Annotated

from pydantic import Field

Id = Annotated[int, Field(ge=1, lt=2**31)]
IdOrNone = Annotated[int, Field(ge=0, lt=2**31)]  # 0: none was given
