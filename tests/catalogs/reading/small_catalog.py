"""A catalog of one provider and two machines, small enough to be read at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal
    from pathlib import Path

    from catalogs.catalog import Catalog

HEADER = "provider,item,region,purchase,unit,usd,above,source,as_of\n"

FILES = {
    "accelerators.csv": (
        "name,family,maker,form,memory_gb,bf16,bf16_sparse,hbm_gb_per_s,nvlink_gb_per_s,source,as_of\n"
        "X1-SXM-80GB,X1,Maker,SXM,80,100,200,3000,450,list,2026-01-01\n"
    ),
    "regions.csv": (
        "provider,name,country,residency,zones,source\n"
        "reef,east,United States,US,e1 e2,list\n"
        "reef,west,United States,US,,list\n"
    ),
    "providers.csv": (
        "name,title,tier,kubernetes,manages,sla,egress,lock_in,source\n"
        "reef,Reef,micro_cloud,RK,control plane,none,free,none,list\n"
    ),
    "terms.csv": (
        "purchase,provider,kind,months,upfront,note,source,holds,holds_source\n"
        "on_demand,*,on_demand,0,none,,list,no,list\n"
        "spot,*,spot,0,none,,list,no,list\n"
        "spot,reef,spot,0,none,reef's own,list,no,list\n"
    ),
    "tiers.csv": "provider,tier,item,engine,usable_share,minimum_gb,step_gb,note,source\n",
    "sources.csv": (
        "id,text,url,as_of,method,entered\n"
        "list,The list,https://reef.example,2026-07-01,list\n"
        "thin,The cheapest zone,,unknown,minimum_zone,2026-11-21\n"
    ),
    "reef/machines.csv": (
        "provider,name,accelerator,accelerators,vcpus,memory_gib,local_nvme_gb,network_gbps,fabric,efa_interfaces,"
        "cluster,placement_group,architecture,source,as_of\n"
        "reef,big,X1-SXM-80GB,8,96,1024,,3200,infiniband,0,true,true,x86_64,list,\n"
        "reef,small,,0,4,16,0,,ethernet,0,true,false,x86_64,list,\n"
    ),
    "reef/prices.csv": HEADER
    + (
        "reef,big,east,on_demand,hour,32,0,list,\n"
        "reef,big,east,spot,hour,10,0,thin,\n"
        "reef,big,west,on_demand,hour,33,0,list,2026-08-01\n"
        "reef,control_plane,*,list,hour,0.1,0,list,\n"
        "reef,internet_egress,east,list,GB,0.05,10240,list,\n"
        "reef,internet_egress,east,list,GB,0.09,0,list,\n"
        "reef,small,east,on_demand,hour,0.2,0,list,\n"
    ),
    "reef/zones.csv": "machine,region,zones\nbig,east,e1 e2\n",
    "reef/second_source.csv": "provider,item,region,purchase,usd,source,as_of\nreef,big,west,on_demand,30,thin,\n",
}


def own(root: Path, *rows: str) -> Path:
    path = root / "own.csv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def add(root: Path, *rows: str) -> None:
    path = root / "reef/prices.csv"
    path.write_text(path.read_text(encoding="utf-8") + "".join(f"{row}\n" for row in rows), encoding="utf-8")


def usd(catalog: Catalog, item: str = "big", region: str = "east", purchase: str = "on_demand") -> Decimal:
    return catalog.prices.one(provider="reef", item=item, region=region, purchase=purchase).usd
